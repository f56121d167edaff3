// Showing answers. Everything from the service goes in as text, never as markup.
const MARKS = {
  yes: "M5 12.500l4.500 4.500L19 7.500",
  no: "M12 8v5M12 16.500v.1",
  bad: "M7 7l10 10M17 7L7 17",
};

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function badge(kind) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", MARKS[kind]);
  svg.append(path);
  const holder = make("span", { className: "badge" }, svg);
  holder.setAttribute("aria-hidden", "true");
  return holder;
}

function show(place, kind, title, ...content) {
  const heading = make("h2", { textContent: title, tabIndex: -1 });
  const card = make("article", { className: `card ${kind}` }, make("header", {}, badge(kind), heading), ...content);
  place.replaceChildren(card);
  heading.focus({ preventScroll: true });
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  card.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

function facts(...pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) {
    if (value === null || value === "") continue;
    list.append(make("div", {}, make("dt", { textContent: name }), value instanceof Node ? value : make("dd", { textContent: value })));
  }
  return list;
}

// Read from the photo as a whole: an outline around everything would point at nothing.
const WHOLE = 0.9;

function area(corners) {
  const cross = corners.map(([x, y], at) => x * corners[(at + 1) % 4][1] - corners[(at + 1) % 4][0] * y);
  return Math.abs(cross.reduce((sum, one) => sum + one, 0)) / 2;
}

function photo(url, corners) {
  if (!url) return null;
  const image = make("img", { src: url, alt: "The photo that was read" });
  const holder = make("div", { className: "shown" }, image);
  image.addEventListener("error", () => holder.remove()); // not every browser shows HEIC
  if (corners && area(corners) < WHOLE) holder.append(outline(corners, true));
  return holder;
}

export function outline(corners, sure) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 1 1");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "overlay");
  const polygon = document.createElementNS(space, "polygon");
  polygon.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
  if (sure) polygon.setAttribute("class", "sure");
  svg.append(polygon);
  return svg;
}

function day(text) {
  return new Date(text).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
}

export function waiting(place, text) {
  const spinner = make("span", { className: "spinner" });
  place.replaceChildren(make("div", { className: "card waiting" }, spinner, make("span", { textContent: text })));
}

export function verdict(place, answer, url) {
  if (!answer.registered) return unknown(place, answer, url);
  const message = make(
    "div",
    { className: "message" },
    make("small", { textContent: "Message" }),
    make("strong", { textContent: answer.text ?? `0x${answer.hex}` }),
  );
  const sure = make(
    "dd",
    { className: "sure" },
    make("b", { textContent: answer.confidence.words }),
    make("span", { className: "soft", textContent: `A false claim has a chance of ${answer.confidence.false_claim}.` }),
  );
  show(
    place,
    "yes",
    "This picture is registered",
    photo(url, answer.corners),
    message,
    facts(
      ["Note", answer.note],
      ["How sure", sure],
      ["Registered", day(answer.created_at)],
      ["Content credentials", answer.manifest_id && make("dd", { className: "mono", textContent: answer.manifest_id })],
      ["Record", make("dd", { className: "mono", textContent: answer.id })],
    ),
  );
}

function unknown(place, answer, url) {
  const nearest = Math.max(0, Math.round(100 * answer.cosine));
  show(
    place,
    "no",
    "Not registered here",
    photo(url, null),
    make("p", { textContent: "No registered picture is near enough for a claim, so none is made." }),
    make("p", {
      className: "soft",
      textContent:
        `The nearest one is ${nearest} % alike. This registry does not know the picture; somebody may still own it. ` +
        "If you think it is registered, try a sharper photo, straight on, without glare.",
    }),
  );
}

export function registered(place, answer) {
  show(
    place,
    "yes",
    answer.repeated ? "Registered before" : "Registered",
    make("p", { textContent: "The record is signed and stored. Your file was not changed: keep it as it is." }),
    answer.record.few_details
      ? make("p", {
          textContent: "There is almost nothing in this picture. Others with as little in them can be taken for it.",
        })
      : null,
    facts(
      ["Note", answer.record.note],
      ["Registered", day(answer.record.created_at)],
      ["Record", make("dd", { className: "mono", textContent: answer.record.id })],
    ),
  );
}

// What the service says to programs, said to people.
const WORDS = {
  unreadable_image: "This file holds no picture that can be read. JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP and HEIC can.",
  image_too_small: "The picture has too few pixels to be told from others. Take a larger one.",
  wrong_key: "The picture is registered, but by another owner: only that owner’s service can read its message.",
  revoked_key: "The picture is registered, but with a key that its owner took back: the record does not count.",
};
const TITLES = { 401: "A token is needed", 403: "Not for this token", 413: "Too large", 415: "Not a picture", 422: "This cannot be used" };
const FOREIGN = { wrong_key: "Registered by another owner", revoked_key: "A record that does not count" };

export function refusal(place, error) {
  const busy = error.status === 503 || error.status === 429;
  const foreign = FOREIGN[error.code];
  const title = foreign || TITLES[error.status] || (busy ? "Busy right now" : "That did not work");
  const text = busy ? "The service has its hands full. Please try again in a moment." : WORDS[error.code] || error.message;
  show(place, foreign || busy ? "no" : "bad", title, make("p", { textContent: text }));
}
