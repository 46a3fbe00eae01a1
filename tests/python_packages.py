"""For the scripts beside this file: packages from PyPI in an environment of our own, target/python, made when needed."""

import os
import pathlib
import subprocess
import sys

ENVIRONMENT = pathlib.Path(__file__).resolve().parents[1] / "target" / "python"


def need(*packages):
    """Starts the script again inside the environment, with `packages` installed there; inside it, does nothing."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    python = ENVIRONMENT / "bin" / "python"
    listed = ENVIRONMENT / "installed.txt"
    installed = set(listed.read_text().split()) if listed.exists() else set()
    missing = set(packages) - installed
    if missing:
        print(f"Installing {', '.join(sorted(missing))} into {ENVIRONMENT} ...", file=sys.stderr)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run(pip + ["install", "--only-binary=:all:", *sorted(missing)], check=True)
        listed.write_text("\n".join(sorted(installed | missing)) + "\n")
    os.execv(python, [python, *sys.argv])
