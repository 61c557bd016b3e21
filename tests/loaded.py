"""Packages of others, loaded and ready for the forks that `forked` makes."""

import concurrent.futures.thread  # noqa: F401
import xml.etree.ElementTree  # noqa: F401

import cryptography.hazmat.primitives.serialization
import cryptography.x509  # noqa: F401
import matplotlib.figure  # noqa: F401
import mcap.writer  # noqa: F401
import msgspec  # noqa: F401
import numba
import pyarrow.csv  # noqa: F401
import pydantic.functional_validators
import pydantic.main  # noqa: F401
import pyproj  # noqa: F401
import rich.progress  # noqa: F401
import ruamel.yaml  # noqa: F401
import scipy.linalg
import scipy.spatial  # noqa: F401
import shapely.ops  # noqa: F401
import typer.rich_utils  # noqa: F401
import zstandard  # noqa: F401

numba.njit(lambda x: x)(0.0)  # else every fork sets up the compiler
