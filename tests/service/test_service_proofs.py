"""Proofs over HTTP: checked here with nothing but what was sent."""

from __future__ import annotations

from service_process import COFFEE, ROCKET, Running

from tiacam.registry import TreeHead
from tiacam.registry.log.merkle import hash_leaf, root_from_inclusion
from tiacam.registry.log.proofs import parse_proof


def test_a_record_is_proved_to_be_in_the_ledger_without_showing_it(service: Running) -> None:
    name = service.register(ROCKET, "proved").json()["record"]["id"]
    proof = service.send("GET", f"/v1/records/{name}/proof", "read").json()
    head = TreeHead.from_json(proof["head"])
    assert head.is_signed()
    leaf = hash_leaf(bytes.fromhex(proof["hash"]))
    path = [bytes.fromhex(node) for node in proof["path"]]
    assert root_from_inclusion(leaf, proof["number"] - 1, head.size, path) == head.root
    assert proof["hash"] == service.send("GET", f"/v1/records/{name}", "read").json()["hash"]
    assert "feature" not in str(proof)


def test_an_administrator_gets_the_proof_that_an_audit_takes(service: Running) -> None:
    name = service.read(COFFEE).json()["id"]
    proof = parse_proof(service.send("GET", f"/v1/records/{name}/signed-proof", "admin").json())
    proof.verify()


def test_a_ledger_is_proved_to_have_only_grown(service: Running) -> None:
    first = service.send("POST", "/v1/log/head", "admin").json()
    service.register(ROCKET, "one more")
    second = service.send("POST", "/v1/log/head", "admin").json()
    assert service.send("GET", "/v1/log/head", "read").json() == second
    proof = parse_proof(service.send("POST", "/v1/log/growth", "read", json=first).json())
    proof.verify()
    assert second["size"] > first["size"]


def test_the_proof_of_growth_covers_what_was_registered_a_moment_ago(service: Running) -> None:
    first = service.send("POST", "/v1/log/head", "admin").json()
    service.register(ROCKET, "no head covers this one yet")
    proof = service.send("POST", "/v1/log/growth", "read", json=first).json()
    parse_proof(proof).verify()
    assert proof["second"]["size"] == first["size"] + 1
    again = service.send("POST", "/v1/log/growth", "read", json=first).json()
    assert again["second"] == proof["second"]


def test_a_head_that_was_made_up_or_edited_proves_nothing(service: Running) -> None:
    head = service.send("POST", "/v1/log/head", "admin").json()
    for wrong in ({}, [], "x", head | {"size": 10**9}, head | {"root": "00" * 32}, head | {"signature": ""}):
        assert service.send("POST", "/v1/log/growth", "read", json=wrong).status_code == 400
