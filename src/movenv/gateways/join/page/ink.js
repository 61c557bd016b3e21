// What the rose and the map have in common: colours, markers, labels, round numbers.

export const INK = "#10141a";
export const GREY = "#5b6573";
export const FAINT = "#c9d1da";
export const PAPER = "#ffffff";
export const LEVEL_COLOUR = { 1: "#0a58ca", 2: "#ffb300", 3: "#c4001a" };
const FONT = "system-ui, -apple-system, Roboto, sans-serif";

/** A context in CSS pixels, cleared; null while the canvas is hidden. */
export function cleared(canvas) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return null;
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** 1, 2 or 5 times a power of ten, at least `value`. */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value * 0.9999);
}

/** A word on paper, so that lines behind it do not cross it. */
export function label(pen, text, x, y, { size = 14, weight = 600, colour = INK } = {}) {
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 7;
  pen.lineJoin = "round";
  pen.strokeStyle = PAPER;
  pen.strokeText(text, x, y);
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

export function labelWidth(pen, text, size, weight) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

/** Another vehicle: real ones filled, virtual ones hollow, a stroke where it goes. */
export function marker(pen, x, y, { real, angle, level, moving }) {
  const colour = level ? LEVEL_COLOUR[level] : INK;
  const size = level ? 11 : 8;
  if (moving) {
    pen.strokeStyle = colour;
    pen.lineWidth = 4;
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + Math.sin(angle) * size * 2.4, y - Math.cos(angle) * size * 2.4);
    pen.stroke();
  }
  pen.beginPath();
  pen.arc(x, y, size, 0, 2 * Math.PI);
  pen.fillStyle = real ? colour : PAPER;
  pen.fill();
  pen.lineWidth = 4;
  pen.strokeStyle = colour;
  pen.stroke();
  if (level) {
    pen.beginPath();
    pen.arc(x, y, size + 4, 0, 2 * Math.PI);
    pen.lineWidth = 2;
    pen.strokeStyle = INK;
    pen.stroke();
  }
}

/** Oneself: a dart, or a disc while nobody knows which way it points. */
export function oneself(pen, x, y, angle) {
  pen.save();
  pen.translate(x, y);
  pen.beginPath();
  if (angle === null) {
    pen.arc(0, 0, 9, 0, 2 * Math.PI);
  } else {
    pen.rotate(angle);
    pen.moveTo(0, -17);
    pen.lineTo(12, 13);
    pen.lineTo(0, 6);
    pen.lineTo(-12, 13);
    pen.closePath();
  }
  pen.fillStyle = INK;
  pen.fill();
  pen.lineWidth = 2;
  pen.strokeStyle = PAPER;
  pen.stroke();
  pen.restore();
}

export const radians = (degrees) => degrees * Math.PI / 180;
