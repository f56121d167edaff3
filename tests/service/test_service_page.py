"""The web page in a real browser, with a camera that sees a simulated photo of a screen."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import find_browser
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from service_process import COFFEE, PICTURES, ROCKET, Running

from tiacam.capture import Kind, Strength, simulate

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 860}
FRAMES = 20
expect.set_options(timeout=30_000)  # how long it takes says more about the machine than about the page
TEXTS = "h1, .lead, .hint, button.primary, .button, small, footer, .card p, dt, dd"
# Texts whose contrast with what lies behind them is under 4.5 to 1.
CONTRAST = """(texts) => {
  const linear = (value) => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((value) => linear(value / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = (element) => {
    const [high, low] = [getComputedStyle(element).color, behind(element)].map(light).sort((a, b) => b - a);
    return (high + .05) / (low + .05);
  };
  return [...document.querySelectorAll(texts)]
    .filter((element) => element.offsetParent && element.textContent.trim())
    .map((element) => [element.tagName + "." + element.className, ratio(element)])
    .filter(([, found]) => found < 4.5);
}"""
UNNAMED = """[...document.querySelectorAll("button, input, textarea, video, img")].filter((one) => !(
  one.labels?.length || one.textContent.trim() || one.ariaLabel || one.hasAttribute("alt"))).length"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium whose camera shows the registered cup on somebody's screen."""
    film = tmp_path_factory.mktemp("film") / "camera.mjpeg"
    film.write_bytes(frame() * FRAMES)
    arguments = [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        yield started
        started.close()


def frame() -> bytes:
    pixels = np.asarray(Image.open(io.BytesIO(COFFEE)).convert("RGB"))
    photo = Image.fromarray(simulate(pixels, Kind.SCREEN, Strength.MILD, seed=3, long_side=960).photo)
    stream = io.BytesIO()
    photo.resize((720, 960)).save(stream, "JPEG", quality=92)
    return stream.getvalue()


@pytest.fixture
def open_page(browser: Browser, service: Running) -> Iterator[Callable[..., Page]]:
    """Opens the page; at the end nothing may have been asked of anybody else, and no script may have failed."""
    contexts, foreign, failures = [], [], []

    def open_one(token: str | None = "link", **options: object) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "permissions": ["camera"], **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        context.on("request", lambda request: foreign.append(request.url))
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(service.url + (f"/#token={service.tokens[token]}" if token else "/"))
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert [url for url in foreign if not url.startswith((service.url, "blob:"))] == []
    assert failures == []


def hand_over(page: Page, zone: str, data: bytes, kind: str) -> None:
    """Drop or paste a file as a browser would."""
    page.evaluate(
        """([zone, data, kind]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], "picture.jpg", { type: "image/jpeg" }));
          const event = kind === "paste"
            ? new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true })
            : new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
          document.querySelector(zone).dispatchEvent(event);
        }""",
        [zone, base64.b64encode(data).decode(), kind],
    )


def no_sideways_scroll(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_uploaded_photo_shows_message_note_and_confidence(
    open_page: Callable[..., Page], viewport: dict[str, int], scheme: str
) -> None:
    page = open_page(viewport=viewport, color_scheme=scheme)
    page.set_input_files("#read-file", PICTURES / "coffee.jpg")
    result = page.locator("#read-result")
    expect(result.get_by_role("heading")).to_have_text("This picture is registered")
    expect(result.get_by_role("heading")).to_be_focused()
    for text in ("owner 4711", "a cup", "certain", "less than 1 in 10"):
        expect(result).to_contain_text(text)
    assert no_sideways_scroll(page)
    assert page.evaluate(CONTRAST, TEXTS) == []


def test_a_picture_with_almost_nothing_in_it_is_said_to_be_one(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    plain = tmp_path / "plain.png"
    Image.new("RGB", (300, 200), (200, 40, 40)).save(plain)
    page = open_page(viewport=PHONE)
    page.get_by_role("tab", name="Register").click()
    page.set_input_files("#register-file", plain)
    page.get_by_label("Message").fill("nothing to see")
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.locator("#register-result")).to_contain_text("almost nothing in this picture")
    assert no_sideways_scroll(page)
    assert page.evaluate(CONTRAST, TEXTS) == []


def test_a_photo_of_something_else_is_honestly_not_registered(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    page.set_input_files("#read-file", PICTURES / "brick.jpg")
    expect(page.get_by_role("heading", name="Not registered here")).to_be_visible()
    expect(page.locator("#read-result")).to_contain_text("somebody may still own it")
    assert no_sideways_scroll(page)
    assert page.evaluate(CONTRAST, TEXTS) == []


@pytest.mark.parametrize(("zone", "kind"), [("#read-drop", "drop"), ("body", "paste")])
def test_a_photo_can_be_dropped_or_pasted(open_page: Callable[..., Page], zone: str, kind: str) -> None:
    page = open_page()
    hand_over(page, zone, COFFEE, kind)
    expect(page.locator("#read-result")).to_contain_text("owner 4711")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_camera_takes_the_photo_by_itself_when_the_verdict_is_certain(
    open_page: Callable[..., Page], viewport: dict[str, int]
) -> None:
    page = open_page(viewport=viewport)
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#read-result")).to_contain_text("owner 4711", timeout=60_000)
    expect(page.locator("#camera")).to_be_hidden()
    assert page.evaluate("document.getElementById('video').srcObject") is None
    expect(page.get_by_alt_text("The photo that was read")).to_be_visible()


def test_the_camera_can_be_stopped_and_left(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.route(
        "**/v1/read?outline=true",
        lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json={}),
    )
    page.get_by_role("button", name="Use the camera").click()
    expect(page.get_by_role("status").filter(has_text="busy")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#camera")).to_be_hidden()
    expect(page.get_by_role("button", name="Use the camera")).to_be_focused()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_cameras_buttons_are_in_sight_while_it_looks(
    open_page: Callable[..., Page], viewport: dict[str, int]
) -> None:
    page = open_page(viewport=viewport)
    answer = {"registered": False, "corners": None, "id": None, "confidence": {"words": "no claim"}}
    page.route("**/v1/read?outline=true", lambda route: route.fulfill(json=answer))
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#camera-state")).to_contain_text("Looking")
    page.evaluate("scrollTo(0, 0)")
    for name in ("Take the photo now", "Stop"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= viewport["height"]


def test_the_header_ends_where_the_content_does_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    tabs, zone = page.locator(".tabs").bounding_box(), page.locator("#read-drop").bounding_box()
    assert tabs is not None
    assert zone is not None
    assert tabs["x"] + tabs["width"] <= zone["x"] + zone["width"] + 1


def test_the_found_quadrilateral_is_drawn_over_the_live_picture(open_page: Callable[..., Page]) -> None:
    page = open_page()
    corners = [[0.1, 0.2], [0.9, 0.25], [0.85, 0.8], [0.15, 0.75]]
    answer = {"registered": False, "corners": corners, "id": None, "confidence": {"words": "no claim"}}
    page.route("**/v1/read?outline=true", lambda route: route.fulfill(json=answer))
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#quad")).to_have_attribute("points", "0.1,0.2 0.9,0.25 0.85,0.8 0.15,0.75")
    stage, overlay = page.locator(".stage video").bounding_box(), page.locator("#overlay").bounding_box()
    assert stage is not None
    assert overlay is not None
    assert abs(stage["width"] - overlay["width"]) < 2
    assert abs(stage["height"] - overlay["height"]) < 2


def test_a_picture_is_registered_by_drag_and_drop_and_found_again(
    open_page: Callable[..., Page], service: Running
) -> None:
    page = open_page(viewport=PHONE)
    page.get_by_role("tab", name="Register").click()
    hand_over(page, "#register-drop", ROCKET, "drop")
    expect(page.get_by_alt_text("Preview of picture.jpg")).to_be_visible()
    page.get_by_label("Message").fill("a rocket")
    page.get_by_label("Note").fill("<img src=x onerror=alert(1)>")
    before = len(service.send("GET", "/v1/records").json()["records"])  # /health counts once a second only
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.locator("#register-result").get_by_role("heading")).to_have_text("Registered")
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.locator("#register-result").get_by_role("heading")).to_have_text("Registered before")
    assert len(service.send("GET", "/v1/records").json()["records"]) == before + 1
    assert no_sideways_scroll(page)
    expect(page.locator("#register-result")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#register-result img").count() == 0


def test_a_form_that_is_not_complete_says_what_is_missing(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_role("tab", name="Register").click()
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.locator("#register-result")).to_contain_text("Choose the picture first")
    hand_over(page, "#register-drop", ROCKET, "drop")
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_label("Message")).to_be_focused()


def test_all_of_it_works_from_the_keyboard(open_page: Callable[..., Page]) -> None:
    page = open_page()
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {"tab-read", "camera-start", "read-file", "token-open", "Interface"} <= set(reached)
    page.locator("#tab-read").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Register")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Register")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="Read")).to_be_hidden()


def test_a_screen_reader_finds_names_and_states(open_page: Callable[..., Page]) -> None:
    page = open_page()
    expect(page.get_by_role("tab", name="Read", selected=True)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert page.locator("#read-result").get_attribute("aria-live") == "polite"
    assert page.evaluate(UNNAMED) == 0
    assert page.evaluate("document.documentElement.lang") == "en"


def test_without_a_token_the_page_asks_for_one_and_then_reads_the_photo_that_was_refused(
    open_page: Callable[..., Page], service: Running
) -> None:
    page = open_page(token=None)
    page.set_input_files("#read-file", PICTURES / "coffee.jpg")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.locator("#token").fill(service.tokens["read"])
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#read-result")).to_contain_text("owner 4711")


def test_the_token_of_the_link_does_not_stay_in_the_address(open_page: Callable[..., Page]) -> None:
    page = open_page()
    expect(page.locator("#health")).to_contain_text("registered")
    assert "token" not in page.url


def test_the_interface_is_documented_without_help_from_elsewhere(
    open_page: Callable[..., Page], service: Running
) -> None:
    page = open_page(viewport=PHONE)
    page.goto(f"{service.url}/docs")
    expect(page.get_by_role("heading", name="POST /v1/read")).to_be_visible()
    assert no_sideways_scroll(page)


def test_a_machine_without_a_browser_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import browser as finding

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TIACAM_CHROMIUM", raising=False)
    with pytest.raises(finding.NoBrowserError, match="NOT tested"):
        finding.find_browser()


def test_a_file_that_is_no_picture_is_refused_in_words_for_people(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    svg = {
        "name": "x.svg",
        "mimeType": "image/svg+xml",
        "buffer": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    }
    page.set_input_files("#read-file", svg)
    expect(page.locator("#read-result")).to_contain_text("This file holds no picture that can be read")
    expect(page.locator("#read-result")).not_to_contain_text("begins with")
    assert page.evaluate(CONTRAST, TEXTS) == []


def test_the_camera_says_its_state_in_one_or_two_lines_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    corners = [[0.1, 0.2], [0.9, 0.25], [0.85, 0.8], [0.15, 0.75]]
    answer = {"registered": False, "corners": corners, "id": None, "confidence": {"words": "no claim"}}
    page.route("**/v1/read?outline=true", lambda route: route.fulfill(json=answer))
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#camera-state")).to_contain_text("none that is registered")
    box = page.locator("#camera-state").bounding_box()
    assert box is not None
    assert box["height"] < 66


@pytest.mark.parametrize(("reach", "drawn"), [(0.8, 1), (1.0, 0)])
def test_the_place_is_outlined_unless_it_is_the_whole_photo(
    open_page: Callable[..., Page], reach: float, drawn: int
) -> None:
    page = open_page()
    answer = {
        "registered": True,
        "id": "tiaaaaaaaa",
        "text": "m",
        "note": "",
        "created_at": "2026-01-01T00:00:00Z",
        "confidence": {"words": "certain", "false_claim": "less than 1 in 10¹²"},
        "corners": [[0, 0], [reach, 0], [reach, reach], [0, reach]],
        "manifest_id": None,
    }
    page.route("**/v1/read", lambda route: route.fulfill(json=answer))
    page.set_input_files("#read-file", PICTURES / "coffee.jpg")
    expect(page.locator("#read-result article")).to_be_visible()
    assert page.locator("#read-result .overlay").count() == drawn
