"""PDFs written by hand: good ones, and those that strangers send."""

import zlib
from collections.abc import Sequence

Text = tuple[float, float, float, str]
"""Left edge, distance from the page's bottom, size, text."""


def pdf(*pages: Sequence[Text], extra: str = "", trailer: str = "") -> bytes:
    """Return a PDF of A4 pages in Helvetica; `extra` and `trailer` are added to its page tree and
    its trailer.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for page in pages:
        stream = "\n".join(
            f"BT /F1 {size} Tf {left} {height} Td ({_escaped(text)}) Tj ET"
            for left, height, size, text in page
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects)} 0 R >>"
        )
    count = len(pages)
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {count} {extra} >>"
    return file_of([each.encode("latin-1") for each in objects], trailer)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def file_of(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Return the PDF of some objects, the first of which is the catalogue."""
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(content)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    content += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    content += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n".encode()
    return content + f"startxref\n{start}\n%%EOF\n".encode()


def locked() -> bytes:
    """Return a PDF that opens with a password only."""
    lock = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
    lock += f"/O <{'ab' * 32}> /U <{'cd' * 32}> >> /ID [<{'12' * 16}> <{'12' * 16}>]"
    return pdf([(50, 700, 12, "Nobody reads this")], trailer=lock)


def bomb(size: int) -> bytes:
    """Return a PDF whose page unpacks to about `size` bytes of drawing commands."""
    packed = zlib.compress(_packed_repeats(b"BT /F1 9 Tf (bees) Tj ET " * 40_000, size), 9)
    return file_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            b"/Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
            b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream"
            % (len(packed), packed),
        ]
    )


def _packed_repeats(block: bytes, size: int) -> bytes:
    """Return what zlib unpacks to repeats of a block, at least `size` bytes of them.

    The block is compressed once: compressing gigabytes would take longer than any test of them.
    """
    count = -(-size // len(block))
    compressor = zlib.compressobj(9)
    head = compressor.flush(zlib.Z_FULL_FLUSH)  # the block then refers to nothing before it
    packed = compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, wbits=-zlib.MAX_WBITS).flush()
    checksum = 1
    for _ in range(count):
        checksum = zlib.adler32(block, checksum)
    return head + packed * count + end + checksum.to_bytes(4, "big")


def nested(depth: int) -> bytes:
    """Return a PDF with lists in lists."""
    return file_of(
        [b"<< /Type /Catalog /Pages 2 0 R /A " + b"[" * depth + b"]" * depth + b" >>", b"<< >>"]
    )


def endless() -> bytes:
    """Return a PDF whose page tree has itself as its child, and says that it has many pages."""
    return file_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>",
        ]
    )
