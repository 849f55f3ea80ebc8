// textlint.mjs FILE…: the processor time that textlint's kernel takes for a text with one weak-word rule, warm; the median of at least five.
// One line for each file: its name and milliseconds.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { TextlintKernel } from "@textlint/kernel";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const plain = (module) => module.default ?? module;
const plugin = plain(require("@textlint/textlint-plugin-markdown"));
const rules = {
  ja: { ruleId: "ja-no-weak-phrase", rule: plain(require("textlint-rule-ja-no-weak-phrase")) },
  en: { ruleId: "write-good", rule: plain(require("textlint-rule-write-good")) },
};
const kernel = new TextlintKernel();

// Time of this process on a processor, in milliseconds: the judge beside it is measured in the same way.
function onProcessor() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const rule = rules[basename(file).slice(0, 2)];
  const options = { ext: ".md", filePath: file, plugins: [{ pluginId: "markdown", plugin }], rules: [rule] };
  await kernel.lintText(text.slice(0, 2000), options);
  const times = [];
  const began = performance.now();
  while (times.length < 5 || (performance.now() - began < 500 && times.length < 200)) {
    if (times.length > 0 && performance.now() - began > 60_000) break;
    const start = onProcessor();
    await kernel.lintText(text, options);
    times.push(onProcessor() - start);
  }
  times.sort((a, b) => a - b);
  console.log(basename(file, ".md"), times[Math.floor(times.length / 2)].toFixed(3));
}
