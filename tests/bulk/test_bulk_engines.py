"""Engines: bounded, in any order, and a picture that kills its worker takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tiacam.app import Submission, Tiacam
from tiacam.bulk import Collector, InlineEngine, LaneEngine, Setup, make_engine
from tiacam.bulk.lanes import WorkerLostError
from tiacam.bulk.working import Attempt
from tiacam.errors import ImageError, ModelMismatchError, UnreadableImageError, UsageError
from tiacam.model import DEFAULT_MODEL
from tiacam.watermark import Message

MESSAGE = Message.from_text("owner 4711")
OpenTiacam = Callable[..., Tiacam]


def submissions(collection: Path, **options: str) -> list[Submission]:
    return [Submission(str(path), MESSAGE, **options) for path in sorted(collection.iterdir())]


class MortalLane:
    """A lane in this process whose worker dies of any batch with "poison" in it, and of what waits behind it."""

    def __init__(self) -> None:
        self.most = self._under_way = 0
        self._pool = ThreadPoolExecutor(1)

    def submit(self, batch: Sequence[Submission]) -> Future[list[Attempt]]:
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        return self._pool.submit(self._work, batch)

    def _work(self, batch: Sequence[Submission]) -> list[Attempt]:
        self._under_way -= 1
        if any("poison" in str(item.image) for item in batch):
            raise WorkerLostError("killed")
        return [UnreadableImageError(str(item.image)) for item in batch]

    def close(self) -> None:
        self._pool.shutdown()


def batches(*names: list[str]) -> Iterator[list[Submission]]:
    return ([Submission(name, MESSAGE) for name in batch] for batch in names)


def test_a_picture_that_kills_its_worker_is_named_and_the_others_are_done() -> None:
    with LaneEngine([MortalLane(), MortalLane()]) as engine:
        done = list(engine.map(batches(["a", "poison", "b"], ["c"], ["d", "e"])))
    told = {
        str(item.image): str(attempt)
        for one in done
        for item, attempt in zip(one.batch, one.attempts, strict=True)
    }
    assert told.pop("poison") == "poison: the process that read it died: killed"
    assert told == {name: name for name in "abcde"}


def test_no_more_is_taken_than_the_lanes_have_room_for() -> None:
    lanes = [MortalLane(), MortalLane()]
    taken = 0

    def feed() -> Iterator[list[Submission]]:
        nonlocal taken
        for batch in batches(*[[str(number)] for number in range(50)]):
            taken += 1
            yield batch

    with LaneEngine(lanes) as engine:
        for number, _ in enumerate(engine.map(feed()), start=1):
            assert taken <= number + 4
    assert taken == 50
    assert max(lane.most for lane in lanes) <= 2


def test_an_engine_that_does_not_exist_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="processes or ray"):
        make_engine("steam", Setup(DEFAULT_MODEL, None))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["processes", "ray"])
def test_a_collection_is_registered_by_several_workers_once_and_only_once(
    collection: Path, open_tiacam: OpenTiacam, kind: str
) -> None:
    session = open_tiacam()
    setup = Setup(DEFAULT_MODEL, session.key)
    first = list(Collector(session, make_engine(kind, setup, workers=2)).register(submissions(collection)))
    assert sorted(str(outcome.submission.image) for outcome in first) == sorted(
        map(str, collection.iterdir())
    )
    assert [Path(str(o.submission.image)).name for o in first if o.error] == ["broken.jpg"]
    assert len(session.registry) == len(first) - 1
    session.registry.verify_chain()
    for outcome in first[:3]:
        assert outcome.record is not None or outcome.error is not None
    engine = InlineEngine(session._drafter)
    second = list(Collector(session, engine).register(submissions(collection)))
    assert sum(outcome.present for outcome in second) == len(first) - 1
    assert len(session.registry) == len(first) - 1


def test_another_message_note_or_the_wish_for_it_makes_a_new_record(
    collection: Path, open_tiacam: OpenTiacam
) -> None:
    session = open_tiacam()
    path = str(min(collection.iterdir()))

    def register(submission: Submission, *, again: bool = False) -> bool:
        engine = InlineEngine(session._drafter)
        (outcome,) = Collector(session, engine, again=again).register([submission])
        return outcome.present

    assert not register(Submission(path, MESSAGE))
    assert register(Submission(path, MESSAGE))
    assert not register(Submission(path, Message.from_text("owner 4712")))
    assert not register(Submission(path, MESSAGE, "spring"))
    assert not register(Submission(path, MESSAGE, manifest=b"m"))
    assert not register(Submission(path, MESSAGE), again=True)
    assert len(session.registry) == 5


def test_the_same_picture_twice_in_one_run_is_one_record(collection: Path, open_tiacam: OpenTiacam) -> None:
    session = open_tiacam()
    path = str(min(collection.iterdir()))
    engine = InlineEngine(session._drafter)
    outcomes = list(Collector(session, engine).register([Submission(path, MESSAGE)] * 3))
    assert [outcome.present for outcome in outcomes] == [False, True, True]
    assert len(session.registry) == 1


def test_workers_with_another_model_than_the_registrys_are_refused(
    collection: Path, open_tiacam: OpenTiacam
) -> None:
    session = open_tiacam()
    engine = make_engine("processes", Setup("bootstrap-0", session.key), workers=1)
    with pytest.raises(ModelMismatchError, match="bootstrap-0"):
        list(Collector(session, engine).register(submissions(collection)[:1]))
    assert len(session.registry) == 0


def test_errors_travel_between_processes(collection: Path, open_tiacam: OpenTiacam) -> None:
    session = open_tiacam()
    broken = [Submission(str(collection / "broken.jpg"), MESSAGE), Submission("missing.jpg", MESSAGE)]
    engine = make_engine("processes", Setup(DEFAULT_MODEL, session.key), workers=1)
    outcomes = list(Collector(session, engine).register(broken))
    assert all(isinstance(outcome.error, ImageError) for outcome in outcomes)
    assert "missing.jpg" in str(outcomes[1].error)
