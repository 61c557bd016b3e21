// Bundles and runs the page's own tests: node test.mjs
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const out = await mkdtemp(join(tmpdir(), "movenv-page-"));
const names = (await readdir("tests")).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: names.map((name) => join("tests", name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  loader: { ".css": "empty", ".svg": "dataurl" },
  logLevel: "warning",
});
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
await rm(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
