"""Records of measured numbers, as everywhere in the project."""

from tiacam.provenance import current_commit, installed_versions, write_record

__all__ = ["current_commit", "installed_versions", "write_record"]
