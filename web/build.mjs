// Bundles the pages into the Python package: node build.mjs OUTPUT
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";

const out = process.argv[2] ?? "../src/movenv/web/page";
const pages = { "index.html": "console", "drive.html": "drive" };
const options = {
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked",
  loader: { ".svg": "dataurl" },
  logLevel: "warning",
};
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
// What both pages need, the map above all, becomes files of its own.
await build({
  ...options,
  entryPoints: { console: "src/main.ts", drive: "src/drive/main.ts" },
  splitting: true,
  chunkNames: "shared-[hash]",
});
// MapLibre decodes tiles in a worker of its own, which must be a file.
const worker = "node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs";
await build({ ...options, entryPoints: { "map-worker": worker } });
await cp("icon.svg", join(out, "icon.svg"));
// Every file is asked for by its fingerprint, so that browsers may keep it for ever.
for (const [file, bundle] of Object.entries(pages)) {
  let page = await readFile(file, "utf8");
  for (const name of [`${bundle}.js`, `${bundle}.css`]) {
    const mark = createHash("sha256").update(await readFile(join(out, name))).digest("hex");
    page = page.replaceAll(`"${name}"`, `"${name}?v=${mark.slice(0, 12)}"`);
  }
  await writeFile(join(out, file), page);
}
