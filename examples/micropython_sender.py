"""Sends where a GPS receiver is to MoVE, and prints the notices that come back.

On a MicroPython board: join the network in boot.py, set what stands below, copy this as main.py.
On a computer it walks in a circle: python micropython_sender.py HOST PORT ID [TOKEN]
"""

import json
import math
import socket
import sys
import time

try:
    from machine import UART
except ImportError:
    UART = None

HOST, PORT, ID, TOKEN = "192.168.1.10", 47200, "walker", ""
UART_ID, BAUD = 1, 9600  # where the receiver is connected
PERIOD = 0.5  # s, of the walk in a circle
LAT, LON = 29.193111, -81.046171  # its centre: the origin of the scenarios that come with MoVE


def decimal(ten_millionths):
    """Degrees as text; floats of most boards have 32 bits, which is metres off."""
    sign = "-" if ten_millionths < 0 else ""
    return f"{sign}{abs(ten_millionths) // 10**7}.{abs(ten_millionths) % 10**7:07d}"


def ten_millionths(angle, side):
    """Of a degree, from dddmm.mmmm and N, S, E or W."""
    whole, fraction = (angle + ".0").split(".")[:2]
    minutes = int(whole[-2:] + (fraction + "0000000")[:7])
    value = int(whole[:-2] or "0") * 10**7 + minutes // 60
    return -value if side in "SW" else value


def since_1970(clock, date):
    """Seconds, from hhmmss and ddmmyy; the clock of a board may count from 2000."""
    day, month, year = int(date[:2]), int(date[2:4]), 2000 + int(date[4:6])
    if month < 3:
        month, year = month + 12, year - 1
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
    seconds = int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + int(clock[4:6])
    return (days - 719469) * 86400 + seconds


def checked(line):
    """The fields of a sentence, or none if it was garbled on the wire."""
    start, star = line.find("$"), line.find("*")
    if start < 0 or star < 0:
        return []
    found = 0
    for letter in line[start + 1 : star]:
        found ^= ord(letter)
    right = f"{found:02X}" == line[star + 1 : star + 3].upper()
    return line[start + 1 : star].split(",") if right else []


def from_nmea(line):
    """What an RMC sentence says, as JSON without the brackets, or an empty text."""
    fields = checked(line)
    if len(fields) < 10 or fields[0][2:] != "RMC" or fields[2] != "A":
        return ""
    _, clock, _, lat, north, lon, east, knots, course, date = fields[:10]
    said = f'"lat": {decimal(ten_millionths(lat, north))}'
    said += f', "lon": {decimal(ten_millionths(lon, east))}'
    if date:
        said += f', "t": {since_1970(clock, date)}{clock[6:]}'
    if knots:
        said += f', "speed": {float(knots) * 0.514444:.2f}'
    if course:
        said += f', "course": {float(course)}'
    return said


def simulated(turn):
    """A walk in a circle of 20 m at 1.4 m/s; without a time, when it arrives counts."""
    angle = turn * PERIOD * 1.4 / 20
    north, east = 20 * math.sin(angle), 20 * math.cos(angle)
    lat, lon = LAT + north / 111200, LON + east / 111200 / math.cos(math.radians(LAT))
    course = -math.degrees(angle) % 360
    return f'"lat": {lat:.7f}, "lon": {lon:.7f}, "speed": 1.4, "course": {course:.1f}, "acc": 2'


def hear(port, known):
    """Print the notices that wait, each once."""
    while True:
        try:
            view = json.loads(port.recv(1500))
        except (OSError, ValueError):
            return
        for notice in view["notices"]:
            if notice["id"] not in known:
                known.append(notice["id"])
                away = notice["distance"]
                print(notice["name"], notice["level_name"], f"{away:.1f} m away")
        del known[:-20]


def main():
    words = getattr(sys, "argv", [])[1:]
    host, number, name, token = words + [HOST, PORT, ID, TOKEN][len(words) :]
    address = socket.getaddrinfo(host, int(number))[0][-1]
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port.setblocking(False)
    receiver = UART(UART_ID, BAUD) if UART else None
    known, sent = [], 0
    while True:
        if receiver:
            said = from_nmea((receiver.readline() or b"").decode("utf-8", "ignore"))
            time.sleep(0 if said else 0.02)
        else:
            said = simulated(sent)
            time.sleep(PERIOD)
        if said:
            who = f'"id": {json.dumps(name)}, "token": {json.dumps(token)}, "seq": {sent}'
            packet = "{" + who + ', "notify": true, ' + said + "}"
            try:
                port.sendto(packet.encode(), address)
            except OSError as error:  # the network is gone; it may come back
                print("not sent:", error)
            sent += 1
        hear(port, known)


if __name__ == "__main__":
    main()
