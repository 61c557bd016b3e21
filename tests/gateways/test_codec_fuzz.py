import subprocess
import sys
from pathlib import Path

import pytest
from codec_fuzz import CODECS

SCRIPT = Path(__file__).with_name("codec_fuzz.py")


def search(codec: str, seconds: int, folder: Path) -> None:
    """Fails with the traceback that was found."""
    done = subprocess.run(
        [sys.executable, SCRIPT, codec, str(folder), f"-max_total_time={seconds}"],
        capture_output=True,
        text=True,
        timeout=seconds + 60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(folder.iterdir())


@pytest.mark.parametrize("codec", sorted(CODECS))
def test_no_bytes_break_a_codec(codec: str, tmp_path: Path) -> None:
    search(codec, 2, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("codec", sorted(CODECS))
def test_no_bytes_break_a_codec_in_minutes(codec: str, tmp_path: Path) -> None:
    search(codec, 300, tmp_path)
