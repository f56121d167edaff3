"""COCO photos in class folders, by the one object that their human captions name: for the linear probe of S6.

    python -m benchmarks.coco_objects --train train/shard-*.tar --test heldout/coco.tar --out DIR

The labels of COCO's objects are not in these data, its captions are. A photo's class is the one object of the 80 that
at least three of its five captions name; where none or several are named it is left out. Captions stand beside the
archives: captions.jsonl.gz for the training shards together, NAME_captions.jsonl for NAME.tar. Written: train/CLASS
and test/CLASS below DIR.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tiacam.errors import DataError

AGREEING = 3  # captions of a photo that name the object
FEWEST = {"train": 8, "test": 2}  # photos of a class
# Without orange, which in captions is a colour.
OBJECTS = """
person bicycle car motorcycle airplane bus train truck boat traffic_light fire_hydrant stop_sign parking_meter
bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee skis
snowboard sports_ball kite baseball_bat baseball_glove skateboard surfboard tennis_racket bottle wine_glass cup
fork knife spoon bowl banana apple sandwich broccoli carrot hot_dog pizza donut cake chair couch potted_plant bed
dining_table toilet tv laptop mouse remote keyboard cell_phone microwave oven toaster sink refrigerator book clock
vase scissors teddy_bear hair_drier toothbrush
"""
NAMES = OBJECTS.split()
OTHER_WORDS = {  # what people write instead
    "person": "man woman boy girl child people men women children guy lady player surfer skier kid baby",
    "bicycle": "bike",
    "motorcycle": "motorbike",
    "airplane": "plane jet airliner",
    "boat": "ship sailboat",
    "cat": "kitten",
    "dog": "puppy",
    "couch": "sofa",
    "tv": "television",
    "cell_phone": "cellphone phone smartphone",
    "refrigerator": "fridge",
    "donut": "doughnut",
}
MEANT = {
    word: name for name in NAMES for word in (name.replace("_", " "), *OTHER_WORDS.get(name, "").split())
}
# Longer names first: a teddy bear is no bear, a hot dog no dog.
WORDS = re.compile(rf"\b({'|'.join(sorted(MEANT, key=len, reverse=True))})(?:s|es)?\b")


def object_of(captions: Sequence[str]) -> str | None:
    """The one object that enough captions name; None where there are several or none."""
    named = Counter(name for caption in captions for name in objects_in(caption))
    agreed = [name for name, count in named.items() if count >= AGREEING]
    return agreed[0] if len(agreed) == 1 else None


def objects_in(caption: str) -> set[str]:
    return {MEANT[word] for word in WORDS.findall(caption.lower())}


def read_lines(path: Path) -> Iterator[dict[str, object]]:
    if not path.is_file():
        raise DataError(f"there is no {path}: the captions of the pictures")
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    yield from (json.loads(line) for line in text.decode("utf-8").splitlines())


def shard_captions(shard: Path) -> dict[str, list[str]]:
    """Human captions of a training shard's pictures, by file."""
    return {
        str(line["file"]): list(line["captions"])  # type: ignore[call-overload]
        for line in read_lines(shard.parent / "captions.jsonl.gz")
        if line["shard"] == shard.name and line["caption_type"] == "human"
    }


def archive_captions(archive: Path) -> dict[str, list[str]]:
    lines = read_lines(archive.with_name(f"{archive.stem}_captions.jsonl"))
    return {str(line["file"]): list(line["captions"]) for line in lines}  # type: ignore[call-overload]


def label(captions: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The object of every picture that has one."""
    found = {file: object_of(texts) for file, texts in captions.items()}
    return {file: name for file, name in found.items() if name is not None}


def common_classes(train: Sequence[str], test: Sequence[str]) -> set[str]:
    """Objects with enough photos on both sides."""
    counts = {"train": Counter(train), "test": Counter(test)}
    return {name for name in NAMES if all(counts[side][name] >= FEWEST[side] for side in FEWEST)}


def unpack(archive: Path, labels: Mapping[str, str], classes: set[str], folder: Path) -> int:
    """The archive's labelled pictures into folder/CLASS; returns how many."""
    count = 0
    with tarfile.open(archive) as tar:
        for entry in tar:
            content = tar.extractfile(entry) if labels.get(entry.name) in classes else None
            if content is not None:
                place = folder / labels[entry.name] / f"{archive.stem}-{Path(entry.name).name}"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())
                count += 1
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", nargs="+", type=Path, required=True, metavar="SHARD.tar")
    parser.add_argument("--test", type=Path, required=True, metavar="NAME.tar")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    train = {shard: label(shard_captions(shard)) for shard in options.train}
    test = label(archive_captions(options.test))
    shown = [name for labels in train.values() for name in labels.values()]
    classes = common_classes(shown, list(test.values()))
    if not classes:
        raise DataError("the captions name no object often enough on both sides")
    learnt = sum(unpack(shard, labels, classes, options.out / "train") for shard, labels in train.items())
    asked = unpack(options.test, test, classes, options.out / "test")
    print(f"{len(classes)} objects, {learnt} photos to learn from, {asked} to ask about")
    return 0


if __name__ == "__main__":
    sys.exit(main())
