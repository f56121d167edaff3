"""Any mode that Pillow decodes → sRGB, the embedded profile applied and transparency laid over white."""

from __future__ import annotations

import io
import warnings
from functools import lru_cache

import numpy as np
from PIL import Image, ImageChops, ImageCms

from tiacam.image.samples import narrow, to_eight_bits

GREY_MODES = {"1", "L", "LA", "La"}
# What a profile can describe as it stands; every other mode becomes RGB first.
PROFILED_MODES = {"L", "RGB", "CMYK"}
# Room for large press profiles; without a bound the cache of transforms could be filled with anything.
MAX_PROFILE_BYTES = 4 << 20
# So little of 255 is rounding and not another colour space.
SRGB_TOLERANCE = 2


def to_rgb(image: Image.Image, name: str) -> Image.Image:
    """The picture in sRGB, 8 bits, opaque; `name` is what a warning or an error calls it."""
    opaque, alpha = split_alpha(image, name)
    # Lab says by itself what its numbers mean.
    profile = None if image.mode == "LAB" else image.info.get("icc_profile")
    rgb = as_rgb(to_srgb(opaque, profile, name) if profile else opaque)
    if alpha is None:
        return rgb
    canvas = Image.new("RGB", rgb.size, "white")
    canvas.paste(rgb, mask=alpha)
    return canvas


def split_alpha(image: Image.Image, name: str) -> tuple[Image.Image, Image.Image | None]:
    """Colour in one of `PROFILED_MODES`, and coverage where the picture has any."""
    if image.mode == "F" or image.mode.startswith("I"):
        return split_deep(image, name)
    grey = image.mode in GREY_MODES
    if image.has_transparency_data:
        both = image.convert("LA" if grey else "RGBA")
        return both.convert("L" if grey else "RGB"), both.getchannel("A")
    if image.mode in PROFILED_MODES:
        return image, None
    return image.convert("L" if grey else "RGB"), None


def split_deep(image: Image.Image, name: str) -> tuple[Image.Image, Image.Image | None]:
    """The same for one channel of more than 8 bits, where one value may stand for transparent."""
    samples = np.asarray(image)
    clear = image.info.get("transparency")
    alpha = None if clear is None else Image.fromarray(np.where(samples == clear, 0, 255).astype(np.uint8))
    if samples.dtype.kind == "i":
        samples = narrow(samples, name)
    return Image.fromarray(to_eight_bits(samples, name)), alpha


def to_srgb(image: Image.Image, profile: bytes, name: str) -> Image.Image:
    """Colours through the embedded profile; unchanged where it is sRGB, or broken and so left aside."""
    if image.mode == "L" and profile[16:20] == b"RGB ":  # as many programs write grey pictures
        image = image.convert("RGB")
    try:
        transform = build_transform(profile, image.mode)
        return image if transform is None else apply(transform, image)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError) as error:
        warnings.warn(f"{name}: colour profile ignored: {error}", stacklevel=2)
        return image


def apply(transform: ImageCms.ImageCmsTransform, image: Image.Image) -> Image.Image:
    converted = ImageCms.applyTransform(image, transform)
    assert converted is not None  # None is for work in place
    return converted


def as_rgb(image: Image.Image) -> Image.Image:
    """`convert` alone would copy what is RGB already."""
    return image if image.mode == "RGB" else image.convert("RGB")


@lru_cache(maxsize=16)
def build_transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """Transform from the profile to sRGB; None when it would change nothing."""
    if len(profile) > MAX_PROFILE_BYTES:
        raise ValueError(f"it has {len(profile)} bytes, at most {MAX_PROFILE_BYTES} are read")
    transform = ImageCms.buildTransform(
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        ImageCms.createProfile("sRGB"),
        mode,
        "RGB",
        ImageCms.Intent.RELATIVE_COLORIMETRIC,
        ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    return None if mode != "CMYK" and leaves_unchanged(transform, mode) else transform


def leaves_unchanged(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Whether the profile is sRGB, asked on a lattice of colours because names of profiles lie."""
    levels = np.linspace(0, 255, 17).astype(np.uint8)
    lattice = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(17, -1, 3)
    before = Image.fromarray(lattice).convert(mode)
    change = ImageChops.difference(apply(transform, before), before.convert("RGB"))
    return int(np.asarray(change).max()) <= SRGB_TOLERANCE
