"use strict";
// Draws the figures: each when it comes near the window, in the colours of day or night.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const figures = new Map(data.figures.map((figure) => [figure.name, figure]));
  const night = matchMedia("(prefers-color-scheme: dark)");
  const touch = matchMedia("(pointer: coarse)").matches;
  const columns = new Map();
  const MOST_BY_CARD = 5; // browsers take away the oldest of about sixteen, two or three a figure
  const byCard = [];

  function column(number) {
    if (!columns.has(number)) {
      const bytes = atob(data.columns[number]);
      const buffer = new Uint8Array(bytes.length);
      for (let i = 0; i < bytes.length; i++) buffer[i] = bytes.charCodeAt(i);
      columns.set(number, new Float32Array(buffer.buffer));
    }
    return columns.get(number);
  }

  function palette() {
    const colors = night.matches ? data.dark : data.light;
    return { ...colors, shade: colors.line + "80", veil: colors.surface + "c0" };
  }

  function filled(value, colors) {
    if (typeof value === "string") return value[0] === "$" ? colors[value.slice(1)] ?? value : value;
    if (Array.isArray(value)) return value;
    if (value === null || typeof value !== "object") return value;
    if (value.ref !== undefined) return column(value.ref);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, colors)]));
  }

  // One name a line of a bundle, told at each of its points.
  function named(trace) {
    if (!trace.names) return trace;
    const { starts, names, ...rest } = trace;
    if (names.length === 1) return { ...rest, text: names[0] };
    const text = new Array(rest.x.length);
    starts.forEach((start, i) => text.fill(names[i], start, starts[i + 1] ?? text.length));
    return { ...rest, text };
  }

  function traces(figure, colors) {
    return figure.traces.map((trace) => {
      // The name is a recording's; it may begin with a $.
      const { name, legendgroup, hovertext, names, ...look } = trace;
      const words = { name, legendgroup };
      if (hovertext) words.hovertext = hovertext;
      if (names) words.names = names;
      return named({ ...filled(look, colors), ...words });
    });
  }

  // A narrow scene is looked at from farther away.
  function scene(part, axis, colors, figure, width) {
    for (const side of ["xaxis", "yaxis", "zaxis"]) {
      part[side] = { ...axis, backgroundcolor: colors.surface, showspikes: false, ...part[side] };
    }
    const across = (width - 80) * (part.domain.x[1] - part.domain.x[0]);
    const away = Math.max(1, (0.9 * figure.height) / across);
    const { x, y, z } = part.camera.eye;
    part.camera = { ...part.camera, eye: { x: x * away, y: y * away, z: z * away } };
  }

  function layout(figure, colors, width) {
    const drawn = filled(figure.layout, colors);
    drawn.annotations = figure.layout.annotations.map(({ text, ...look }) => ({ text, ...filled(look, colors) }));
    drawn.shapes = figure.layout.shapes.map((shape) => filled(shape, colors));
    const axis = { gridcolor: colors.line, zerolinecolor: colors.line, linecolor: colors.strong, color: colors.muted };
    for (const [name, part] of Object.entries(drawn)) {
      if (/^[xy]axis/.test(name)) drawn[name] = { ...axis, showline: true, mirror: true, zeroline: false, ...part };
      if (name.startsWith("scene")) scene(part, axis, colors, figure, width);
    }
    const rows = figure.legend ? Math.ceil((figure.legend * 7 + 50 * figure.traces.filter((t) => t.showlegend).length) / Math.max(200, width - 80)) : 0;
    const bottom = drawn.margin.b + (rows ? 16 + rows * 20 : 0);
    const height = figure.height + (rows ? 16 + rows * 20 : 0);
    const inside = height - drawn.margin.t - bottom;
    return {
      ...drawn,
      height,
      margin: { ...drawn.margin, b: bottom, l: width < 500 ? 52 : drawn.margin.l },
      legend: { orientation: "h", y: -48 / inside, yanchor: "top", x: 0, itemsizing: "constant" },
      paper_bgcolor: colors.surface,
      plot_bgcolor: colors.surface,
      font: { family: "system-ui, sans-serif", size: 12, color: colors.text },
      hoverlabel: { bgcolor: colors.surface, bordercolor: colors.strong, font: { color: colors.text }, align: "left" },
      hovermode: "closest",
      dragmode: touch ? false : undefined,
    };
  }

  // A review stays where it is: nothing offers to send it anywhere.
  const settings = {
    responsive: true, displaylogo: false, scrollZoom: false, showSendToCloud: false, plotlyServerURL: "", topojsonURL: "",
    modeBarButtonsToRemove: ["sendChartToCloud", "sendDataToCloud", "select2d", "lasso2d"],
  };

  function hasCard() {
    try { return Boolean(document.createElement("canvas").getContext("webgl")); } catch { return false; }
  }

  let card;
  function asPicture(plot) {
    plot.closest(".figure").classList.add("as-picture");
    plot.dataset.drawn = "picture";
  }

  function makeRoom(plot) {
    if (byCard.includes(plot)) return;
    byCard.push(plot);
    if (byCard.length <= MOST_BY_CARD) return;
    const away = (other) => Math.abs(other.getBoundingClientRect().top);
    const farthest = byCard.filter((other) => other !== plot).sort((a, b) => away(b) - away(a))[0];
    byCard.splice(byCard.indexOf(farthest), 1);
    Plotly.purge(farthest);
    farthest.dataset.drawn = "before";
    near.unobserve(farthest);
    near.observe(farthest);
  }

  async function draw(plot) {
    const figure = figures.get(plot.dataset.figure);
    if (figure.gl && !(card ??= hasCard())) return asPicture(plot);
    if (figure.gl) makeRoom(plot);
    const colors = palette();
    try {
      const shape = layout(figure, colors, plot.clientWidth);
      plot.style.height = `${shape.height}px`;
      await Plotly.react(plot, traces(figure, colors), shape, settings);
      plot.dataset.drawn = "yes";
    } catch (wrong) {
      asPicture(plot);
      throw wrong;
    }
  }

  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting && !["yes", "picture", "now"].includes(target.dataset.drawn)) {
        target.dataset.drawn = "now";
        draw(target);
      }
    }
  }, { rootMargin: "300px" });
  const plots = [...document.querySelectorAll(".plot")];
  plots.forEach((plot) => near.observe(plot));
  night.addEventListener("change", () => plots.filter((plot) => plot.dataset.drawn === "yes").forEach(draw));
})();
