"""A process of its own that adds records and looks each up at once: `index_child.py REGISTRY KIND`."""

from __future__ import annotations

import json
import sys

from registry_samples import KEY, MODEL, make_draft

from tiacam.registry import Registry, shelf_file


def add_and_find(path: str, kind: str, count: int = 30) -> dict[str, int]:
    shelf_file.LEAST_FOLD = 8
    missed = 0
    with Registry.open(path, index=kind) as registry:
        for _ in range(count):
            record = registry.add(make_draft(), KEY)
            missed += registry.find(record.feature, 1, MODEL)[0].record_id != record.id
    return {"added": count, "missed": missed}


if __name__ == "__main__":
    print(json.dumps(add_and_find(*sys.argv[1:3])))
