"""CMake builds the extension modules (csrc/CMakeLists.txt); setuptools packs them with the Python sources."""

from setuptools import setup

setup()
