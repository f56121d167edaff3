// The camera: frames go to the service one at a time; when it is certain, the photo takes itself.
import { readPhoto } from "/page/api.js";

const LONG_SIDE = 800;
const PAUSE_MS = 120;

export class Camera {
  constructor(elements, done, failed) {
    this.elements = elements;
    this.done = done; // (answer, photo)
    this.failed = failed; // (error)
    this.stream = null;
    this.run = 0; // a new number ends the loop of the old one
    this.last = null;
  }

  async start() {
    this.stop();
    const run = ++this.run;
    this.say("Starting the camera …");
    this.elements.quad.setAttribute("points", "");
    const wanted = { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 960 } };
    const stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
    if (run !== this.run) return stream.getTracks().forEach((track) => track.stop());
    this.stream = stream;
    this.elements.video.srcObject = stream;
    await this.elements.video.play();
    this.say("Point it at the picture");
    this.loop(run);
  }

  stop() {
    this.run += 1;
    this.last = null;
    if (this.stream) this.stream.getTracks().forEach((track) => track.stop());
    this.stream = null;
    this.elements.video.srcObject = null;
  }

  say(text) {
    if (this.elements.state.textContent !== text) this.elements.state.textContent = text;
  }

  async frame(longSide) {
    const { videoWidth: width, videoHeight: height } = this.elements.video;
    const scale = Math.min(1, longSide / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d").drawImage(this.elements.video, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
  }

  async shoot() {
    const run = this.run;
    this.say("Reading …");
    const photo = await this.frame(4096);
    if (run === this.run) this.done(null, photo);
  }

  async loop(run) {
    while (run === this.run) {
      try {
        const photo = await this.frame(LONG_SIDE);
        const answer = await readPhoto(photo, true);
        if (run !== this.run) return;
        this.draw(answer);
        if (this.isSettled(answer)) return this.done(answer, photo);
        await sleep(PAUSE_MS);
      } catch (error) {
        if (run !== this.run) return;
        if (error.status !== 429 && error.status !== 503) return this.failed(error);
        this.say("The service is busy …");
        await sleep(1000 * Math.max(1, error.after));
      }
    }
  }

  // Certain at once, or the same picture twice in a row.
  isSettled(answer) {
    const settled = answer.registered && (answer.confidence.words === "certain" || this.last === answer.id);
    this.last = answer.id;
    return settled;
  }

  draw(answer) {
    const { quad } = this.elements;
    quad.setAttribute("points", answer.corners ? answer.corners.map((corner) => corner.join(",")).join(" ") : "");
    quad.classList.toggle("sure", answer.registered);
    if (answer.registered) this.say("Found it, hold still …");
    else this.say(answer.corners ? "A picture, but none that is registered so far" : "Looking …");
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
