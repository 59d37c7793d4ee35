"""Numbers, sizes and times for people. An unknown value is a dash, never a zero."""

from __future__ import annotations

from datetime import datetime, timezone

UNKNOWN = "—"
SIZE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
MINUTE = 60
HOUR = 3600


def integer(value: float | None) -> str:
    """Format ``200,000``."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def decimals(value: float) -> str:
    """Format three significant digits: ``0.412``, ``3.45``, ``31.0``, ``262``."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3  # noqa: PLR2004 - powers of ten
    return f"{value:,.{digits}f}"


def trimmed(value: float) -> str:
    """Format the same without trailing zeros: ``31``."""
    text = decimals(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def size(value: float | None) -> str:
    """Format bytes in decimal units: ``23.8 MB``."""
    if value is None:
        return UNKNOWN
    step = 0
    while abs(value) >= 1000 and step < len(SIZE_UNITS) - 1:  # noqa: PLR2004 - the SI's step
        value, step = value / 1000, step + 1
    return f"{decimals(value) if step else integer(value)} {SIZE_UNITS[step]}"


def milliseconds(value: float | None) -> str:
    """Format ``0.8 ms``, ``262 ms``, ``1.25 s``."""
    if value is None:
        return UNKNOWN
    return f"{trimmed(value)} ms" if abs(value) < 1000 else f"{trimmed(value / 1000)} s"  # noqa: PLR2004 - ms in a second


def seconds(value: float | None) -> str:
    """Format ``0.4 s``, ``37.4 s``, ``2 min 05 s``, ``1 h 02 min``."""
    if value is None:
        return UNKNOWN
    if value < MINUTE:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE:02d} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE:02d} min"


def percent(part: float, whole: float) -> str:
    """Format ``21.2 %``; a part of nothing is a dash."""
    return f"{trimmed(100 * part / whole)} %" if whole else UNKNOWN


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Format ``1 partition``, ``6 partitions``."""
    return f"{integer(count)} {noun if count == 1 else many or noun + 's'}"


def listed(words: list[str]) -> str:
    """Format ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def moment(iso: str) -> str:
    """Format ``21 November 2026, 02:21:30 UTC``; other text stays as it is."""
    try:
        return _written(datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(timezone.utc))
    except ValueError:
        return iso


def moment_of(epoch_ms: float) -> str:
    """Format the same for milliseconds since 1970; a dash for a number that is no time."""
    when = _utc(epoch_ms)
    return _written(when) if when else UNKNOWN


def clock(epoch_ms: float | None) -> str:
    """Format the time of day of milliseconds since 1970, UTC: ``02:34:49.960``."""
    when = _utc(epoch_ms)
    return f"{when:%H:%M:%S.%f}"[:-3] if when else UNKNOWN


def _written(when: datetime) -> str:
    return f"{when.day} {when:%B %Y, %H:%M:%S} UTC"


def _utc(epoch_ms: float | None) -> datetime | None:
    """Return the time, or null for Kafka's unknown one (-1) and for numbers that are no time."""
    if epoch_ms is None or epoch_ms < 0:
        return None
    try:
        return datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None
