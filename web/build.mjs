// Bundles the page into the Python package: node build.mjs OUTPUT
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";

const out = process.argv[2] ?? "../src/movenv/web/page";
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: {
    console: "src/main.ts",
    // MapLibre decodes tiles in a worker of its own, which must be a file.
    "map-worker": "node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs",
  },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked",
  loader: { ".svg": "dataurl" },
  logLevel: "warning",
});
await cp("icon.svg", join(out, "icon.svg"));
// Every file is asked for by its fingerprint, so that browsers may keep it for ever.
let page = await readFile("index.html", "utf8");
for (const name of ["console.js", "console.css"]) {
  const mark = createHash("sha256").update(await readFile(join(out, name))).digest("hex");
  page = page.replaceAll(`"${name}"`, `"${name}?v=${mark.slice(0, 12)}"`);
}
await writeFile(join(out, "index.html"), page);
