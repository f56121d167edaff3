"""Registering whole collections: many processes or machines make drafts, one writes them, and a crash costs nothing."""

from tiacam.bulk.collecting import Collector, Outcome
from tiacam.bulk.engines import Engine, InlineEngine, LaneEngine, make_engine
from tiacam.bulk.working import Setup, Worker

__all__ = ["Collector", "Engine", "InlineEngine", "LaneEngine", "Outcome", "Setup", "Worker", "make_engine"]
