"""A sealed file tells every change of a byte from what was written; an older one has no seal."""

import json

import pytest

from citewise.library.seal import sealed, unsealed

CONTENT = b'{"generation": 3, "papers": 8}'


def test_a_seal_is_a_member_of_the_object() -> None:
    written = json.loads(sealed(CONTENT))
    assert written == {"generation": 3, "papers": 8, "checksum": written["checksum"]}
    assert unsealed(sealed(CONTENT)) == CONTENT


def test_every_changed_byte_is_noticed() -> None:
    written = sealed(CONTENT)
    for position in range(len(written)):
        for flip in (1, 2, 32, 255):
            damaged = bytearray(written)
            damaged[position] ^= flip
            with pytest.raises(ValueError, match="changed since it was written"):
                unsealed(bytes(damaged))


@pytest.mark.parametrize("content", [b"", b"{}", b"three", b"{", CONTENT, b'{"a": {"b": 1}}'])
def test_what_has_no_seal_is_as_it_is(content: bytes) -> None:
    assert unsealed(content) == content


@pytest.mark.parametrize("content", [b"", b"{}", b"three", b"[1]"])
def test_what_is_no_object_with_members_gets_no_seal(content: bytes) -> None:
    assert sealed(content) == content


def test_a_manifest_that_another_program_wrote_anew_has_no_seal() -> None:
    again = json.dumps(json.loads(sealed(CONTENT)) | {"new": 1}).encode()
    assert unsealed(again) == again
