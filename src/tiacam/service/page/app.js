// The page: two tabs, three ways to hand in a photo, one form.
import { call, readPhoto, registerPicture, saveToken, takeTokenFromAddress } from "/page/api.js";
import { Camera } from "/page/camera.js";
import { refusal, registered, verdict, waiting } from "/page/result.js";

const $ = (id) => document.getElementById(id);
const tabs = [$("tab-read"), $("tab-register")];
let picture = null; // chosen for registering
let attempt = null; // names one registration, so that a repeated click makes one record
let shownUrl = null;
let again = null; // what was refused for want of a token, to be done once there is one

function choose(tab, focus) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (tab !== $("tab-read")) closeCamera();
  if (focus) tab.focus();
}

function url(file) {
  if (shownUrl) URL.revokeObjectURL(shownUrl);
  shownUrl = URL.createObjectURL(file);
  return shownUrl;
}

function refused(place, error, retry = null) {
  refusal(place, error);
  if (error.status !== 401) return;
  again = retry;
  askForToken(error.message);
}

async function read(photo) {
  const place = $("read-result");
  waiting(place, "Reading the photo …");
  try {
    verdict(place, await readPhoto(photo), url(photo));
  } catch (error) {
    refused(place, error, () => read(photo));
  }
}

function pick(file) {
  picture = file;
  attempt = null;
  const preview = $("register-preview");
  preview.hidden = false;
  preview.alt = `Preview of ${file.name || "the pasted picture"}`;
  preview.onerror = () => { preview.hidden = true; };
  preview.src = URL.createObjectURL(file);
  $("register-hint").textContent = file.name || "Pasted picture";
  $("register-result").replaceChildren();
}

async function register(event) {
  event.preventDefault();
  const place = $("register-result");
  const message = $("message").value.trim();
  $("message").setAttribute("aria-invalid", String(!message));
  if (!picture) return refusal(place, { status: 422, message: "Choose the picture first." });
  if (!message) {
    refusal(place, { status: 422, message: "Write the message that photos of the picture shall lead to." });
    return $("message").focus();
  }
  const form = new FormData();
  form.append("picture", picture);
  form.append("message", message);
  form.append("note", $("note").value);
  const manifest = $("manifest").files[0];
  if (manifest) form.append("manifest", manifest);
  attempt ??= Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  $("register-send").disabled = true;
  waiting(place, "Registering …");
  try {
    registered(place, await registerPicture(form, attempt));
    showHealth();
  } catch (error) {
    if (error.code === "repeated_key") attempt = null;
    refused(place, error, () => $("register-form").requestSubmit());
  } finally {
    $("register-send").disabled = false;
  }
}

const camera = new Camera(
  { video: $("video"), quad: $("quad"), state: $("camera-state") },
  (answer, photo) => {
    closeCamera();
    if (answer) verdict($("read-result"), answer, url(photo));
    else read(photo);
  },
  (error) => {
    closeCamera();
    refused($("read-result"), error);
  },
);

async function openCamera() {
  $("read-result").replaceChildren();
  if (!navigator.mediaDevices?.getUserMedia) {
    const message = "This browser gives the camera only to secure pages (https). Choose a photo instead.";
    return refusal($("read-result"), { status: 0, message });
  }
  $("camera").hidden = false;
  $("read-drop").hidden = true;
  $("camera-shot").focus();
  try {
    await camera.start();
  } catch (error) {
    closeCamera();
    const denied = error.name === "NotAllowedError";
    const message = denied ? "The camera is not allowed for this page. Choose a photo instead." : "No camera can be used. Choose a photo instead.";
    refusal($("read-result"), { status: 0, message });
  }
}

function closeCamera() {
  camera.stop();
  $("camera").hidden = true;
  $("read-drop").hidden = false;
}

function askForToken(why) {
  if (why) $("token-why").textContent = why;
  if (!$("token-dialog").open) $("token-dialog").showModal();
}

async function showHealth() {
  try {
    const health = await call("/health");
    const count = health.records.toLocaleString();
    $("health").textContent = `${count} ${health.records === 1 ? "picture" : "pictures"} registered`;
  } catch {
    $("health").textContent = "The service does not answer";
  }
}

function acceptDrops(zone, take) {
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file) take(file);
  });
}

function acceptChoice(input, take) {
  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0]);
    input.value = "";
  });
}

takeTokenFromAddress();
for (const tab of tabs) tab.addEventListener("click", () => choose(tab, false));
document.querySelector(".tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) choose(tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length], true);
});
acceptDrops($("read-drop"), read);
acceptDrops($("register-drop"), pick);
acceptChoice($("read-file"), read);
acceptChoice($("register-file"), pick);
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault()); // a miss must not leave the page
addEventListener("paste", (event) => {
  const file = [...event.clipboardData.files].find((one) => one.type.startsWith("image/"));
  if (file) ($("panel-read").hidden ? pick : read)(file);
});
$("register-form").addEventListener("submit", register);
for (const id of ["message", "note", "manifest"]) $(id).addEventListener("input", () => { attempt = null; });
$("camera-start").addEventListener("click", openCamera);
$("camera-stop").addEventListener("click", () => { closeCamera(); $("camera-start").focus(); });
$("camera-shot").addEventListener("click", () => camera.shoot());
addEventListener("pagehide", () => camera.stop());
$("token-open").addEventListener("click", () => askForToken(""));
$("token-form").addEventListener("submit", (event) => {
  if (event.submitter?.value !== "save") return;
  saveToken($("token").value.trim());
  const retry = again;
  again = null;
  retry?.();
});
$("token-dialog").addEventListener("close", () => {
  $("token").value = "";
  again = null;
});
showHealth();
