"""The ledger of records and the search for the nearest ones."""

from tiacam.registry.chain import ChainReport
from tiacam.registry.exchange import ImportReport
from tiacam.registry.index import ExactIndex, Index, Neighbour
from tiacam.registry.keys import KeyFile, OwnerKey, fingerprint
from tiacam.registry.ledger import Registry
from tiacam.registry.log import GrowthProof, KeyEvent, KeyHistory, RecordProof, TreeHead, read_proof
from tiacam.registry.place import beside, is_url, key_path, parse_place
from tiacam.registry.record import Record
from tiacam.registry.registration import Draft
from tiacam.registry.ring import KeyRing, default_places, open_ring, ring_folder
from tiacam.registry.search import FeatureTable

__all__ = [
    "ChainReport",
    "Draft",
    "ExactIndex",
    "FeatureTable",
    "GrowthProof",
    "ImportReport",
    "Index",
    "KeyEvent",
    "KeyFile",
    "KeyHistory",
    "KeyRing",
    "Neighbour",
    "OwnerKey",
    "Record",
    "RecordProof",
    "Registry",
    "TreeHead",
    "beside",
    "default_places",
    "fingerprint",
    "is_url",
    "key_path",
    "open_ring",
    "parse_place",
    "read_proof",
    "ring_folder",
]
