"""Prints where vehicles are: python render_receiver.py [PORT]. Needs Python and nothing else."""

import socket
import struct
import sys

HEADER = struct.Struct("<4sBBHIHHHHd")
RECORD = struct.Struct("<IBBBB5d4f")
KINDS = ("pedestrian", "ground", "aerial", "surface", "underwater")

port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port.bind(("", int(sys.argv[1]) if len(sys.argv) > 1 else 5005))
print("listening", flush=True)
while True:
    datagram = port.recv(2048)
    magic, version, _, size, *_, count, _, t = HEADER.unpack_from(datagram)
    if (magic, version, size) == (b"MOVE", 1, RECORD.size):
        for i in range(count):
            vid, kind, _, _, _, x, y, z, *_ = RECORD.unpack_from(datagram, HEADER.size + i * size)
            print(f"{t:8.2f} s  {vid:6} {KINDS[kind]:10} {x:9.2f} {y:9.2f} {z:8.2f}", flush=True)
