"""Signatures of evidence files: `ssh-keygen -Y` makes and verifies them, by keys that the project names.

    ssh-keygen -Y sign -f KEY -n hexapla-evidence snippets/evidence/cpu-amd-epyc.json

writes `cpu-amd-epyc.json.sig` beside it. Whose keys count is in `allowed_signers` there, as ssh-keygen(1) has it.
"""

import subprocess
from pathlib import Path

NAMESPACE = "hexapla-evidence"
ALLOWED = "allowed_signers"
SECONDS = 10


class SignatureError(ValueError):
    """A signature that does not hold; the message is the end of a sentence on its file."""


def signature_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.sig")


def find_signer(file: Path) -> str:
    """Who has signed a file of evidence as it is; empty where nobody has. Raises SignatureError."""
    signature, allowed = signature_of(file), file.with_name(ALLOWED)
    if not signature.is_file():
        return ""
    if not allowed.is_file():
        raise SignatureError(f"is signed, and {ALLOWED} beside it, which says whose keys count, is missing")
    names = run_keygen("find-principals", file, "-s", str(signature), "-f", str(allowed)).splitlines()
    if not names:
        raise SignatureError(f"is signed by a key that {ALLOWED} does not name")
    options = ("-f", str(allowed), "-I", names[0], "-n", NAMESPACE, "-s", str(signature))
    if not run_keygen("verify", file, *options):
        raise SignatureError(f"is not what {names[0]} signed; sign it again, or take the change back")
    return names[0]


def run_keygen(action: str, file: Path, *options: str) -> str:
    """What ssh-keygen prints about a file, empty where it refuses. Raises SignatureError where it is not there."""
    try:
        with file.open("rb") as stream:
            done = subprocess.run(["ssh-keygen", "-Y", action, *options], stdin=stream, capture_output=True, text=True,
                                  timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SignatureError(f"is signed, and ssh-keygen, which verifies that, cannot be run ({error})") from error
    return "" if done.returncode else done.stdout
