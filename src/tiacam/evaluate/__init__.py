"""Measuring a model: tables of rows with intervals, each kept as one record under results/."""

from tiacam.evaluate.bench import Bench
from tiacam.evaluate.opening import open_bench
from tiacam.evaluate.record import Result, Row, read_result, result_path, write_result
from tiacam.evaluate.runner import partial_path, run_table
from tiacam.evaluate.table import Table
from tiacam.evaluate.tables import OUTSIDE, TABLES, find_table

__all__ = [
    "OUTSIDE",
    "TABLES",
    "Bench",
    "Result",
    "Row",
    "Table",
    "find_table",
    "open_bench",
    "partial_path",
    "read_result",
    "result_path",
    "run_table",
    "write_result",
]
