"""The ledger in PostgreSQL with pgvector: records and their vectors in one transaction, shared by many processes."""

from tiacam.registry.postgres.database import PostgresDatabase
from tiacam.registry.postgres.search import VectorSearch

__all__ = ["PostgresDatabase", "VectorSearch"]
