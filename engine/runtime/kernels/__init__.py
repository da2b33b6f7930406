"""Triton kernels of the CUDA runtime; imported only where a CUDA device and Triton are there."""
