// Talking to the service: the token, the requests, and refusals in words.
const KEY = "tiacam-token";

export function takeTokenFromAddress() {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (!found) return;
  saveToken(decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname + location.search);
}

export function saveToken(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

export class Refusal extends Error {
  constructor(status, code, message, after) {
    super(message);
    this.status = status;
    this.code = code;
    this.after = after;
  }
}

export async function call(address, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem(KEY);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let answer;
  try {
    answer = await fetch(address, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "offline", "The service cannot be reached. Is the connection up?", 0);
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const after = Number(answer.headers.get("Retry-After")) || 0;
  throw new Refusal(answer.status, body.error || "http", body.message || answer.statusText, after);
}

export function readPhoto(photo, outline = false) {
  const type = photo.type && photo.type.startsWith("image/") ? photo.type : "application/octet-stream";
  return call(`/v1/read${outline ? "?outline=true" : ""}`, { method: "POST", body: photo, headers: { "Content-Type": type } });
}

export function registerPicture(form, key) {
  return call("/v1/records", { method: "POST", body: form, headers: { "Idempotency-Key": key } });
}
