# SPDX-License-Identifier: Apache-2.0
"""Reads format, sample rate, channels and length from the header of encoded audio, without decoding it."""

from __future__ import annotations

import io
import wave
from typing import NamedTuple

_STARTS = (
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)
AUDIO_TYPES = ("audio/wav", *dict.fromkeys(media_type for _, media_type in _STARTS))
"""The formats that ``audio_type`` recognizes."""

_FLAC_INFO = slice(8, 42)  # after the marker and the head of the first block, STREAMINFO
_OPUS_RATE = 48_000
_NO_POSITION = 2**64 - 1
_KBITS = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_LOW_KBITS = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_MPEG1 = 3  # two bits of the frame header; 2 and 0 are the versions of low sample rates, 1 is invalid
_MP3_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def audio_type(encoded: bytes) -> str | None:
    """Return the format of the bytes, if browsers play it; else None."""
    if encoded[:4] == b"RIFF" and encoded[8:12] == b"WAVE":
        return "audio/wav"
    return next((media_type for start, media_type in _STARTS if encoded.startswith(start)), None)


class AudioHeader(NamedTuple):
    """``sample_rate`` in Hz, ``frames`` samples per channel; 0 if unknown."""

    sample_rate: float = 0.0
    channels: int = 0
    frames: int = 0


def read_audio_header(encoded: bytes) -> AudioHeader:
    """Return the header of a WAV of plain samples, a FLAC, an Ogg of Vorbis or Opus, or an MP3.

    For other bytes it has zeros.
    """
    if encoded[:4] == b"RIFF":
        return _wave(encoded)
    if encoded[:4] == b"fLaC":
        return _flac(encoded)
    return _ogg(encoded) if encoded[:4] == b"OggS" else _mp3(encoded)


def _wave(encoded: bytes) -> AudioHeader:
    try:
        with wave.open(io.BytesIO(encoded)) as file:
            return AudioHeader(float(file.getframerate()), file.getnchannels(), file.getnframes())
    except (wave.Error, EOFError):
        return AudioHeader()


def _flac(encoded: bytes) -> AudioHeader:
    """Read STREAMINFO: from its tenth byte on, 20 bits of rate, 3 of channels, 5 of depth and 36 of frames.

    Source: RFC 9639, section 8.2.
    """
    info = encoded[_FLAC_INFO]
    if len(info) < 18 or encoded[4] & 0x7F != 0:
        return AudioHeader()
    bits = int.from_bytes(info[10:18], "big")
    return AudioHeader(float(bits >> 44), (bits >> 41 & 0x7) + 1, bits & (1 << 36) - 1)


def _ogg(encoded: bytes) -> AudioHeader:
    """Read the codec from the first packet, and the length from the position of the last page.

    The position includes the pre-skip of Opus.

    Source: RFC 3533, RFC 7845 and the Vorbis I specification.
    """
    last = encoded.rfind(b"OggS")
    position = int.from_bytes(encoded[last + 6 : last + 14], "little")
    frames = position if last > 0 and position != _NO_POSITION else 0
    start = 27 + encoded[26] if len(encoded) > 26 else len(encoded)
    head = encoded[start : start + 16]
    if head.startswith(b"\x01vorbis") and len(head) == 16:
        return AudioHeader(float(int.from_bytes(head[12:16], "little")), head[11], frames)
    if head.startswith(b"OpusHead") and len(head) == 16:
        skipped = int.from_bytes(head[10:12], "little")
        return AudioHeader(float(_OPUS_RATE), head[9], max(0, frames - skipped))
    return AudioHeader()


def _mp3(encoded: bytes) -> AudioHeader:
    """Return the header of an MP3: walks from frame to frame of layer III, after an ID3 tag."""
    at = 10 + _syncsafe(encoded[6:10]) if encoded[:3] == b"ID3" else 0
    rate = channels = frames = 0
    while frame := _mp3_frame(encoded[at : at + 4]):
        rate, channels = rate or frame.rate, channels or frame.channels
        frames += frame.samples
        at += frame.size
    return AudioHeader(float(rate), channels, frames)


class _Frame(NamedTuple):
    rate: int
    channels: int
    samples: int
    size: int


def _mp3_frame(head: bytes) -> _Frame | None:
    """Return the frame of layer III that four bytes begin, or None if they begin none."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return None
    version, bitrate, rate = head[1] >> 3 & 0x3, head[2] >> 4, head[2] >> 2 & 0x3
    if version == 1 or bitrate in (0, 15) or rate == 3:
        return None
    samples, kbits = (1152, _KBITS) if version == _MPEG1 else (576, _LOW_KBITS)
    hertz = _MP3_RATES[version][rate]
    size = samples // 8 * 1000 * kbits[bitrate] // hertz + (head[2] >> 1 & 0x1)
    return _Frame(hertz, 1 if head[3] >> 6 == 3 else 2, samples, size)


def _syncsafe(number: bytes) -> int:
    """Return the number in four bytes of seven bits each, as ID3 writes a length."""
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(reversed(number)))
