// Sounds of dice and checkers, made of noise: no file is fetched, and nothing is made before somebody has asked for it.

import { make } from "./elements.js";
import { keptChoice, say } from "./words.js";

export const SOUNDS = {
  isOn: false,

  /** A knock of wood: noise of `ms`, dying away, around a pitch. */
  knock(after, pitch, loud, ms) {
    const context = (this.context ??= new AudioContext()),
      length = Math.ceil((context.sampleRate * ms) / 1000);
    const noise = context.createBuffer(1, length, context.sampleRate),
      samples = noise.getChannelData(0);
    for (let place = 0; place < length; place += 1)
      samples[place] = (2 * Math.random() - 1) * loud * (1 - place / length) ** 4;
    const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 1.5 });
    const source = new AudioBufferSourceNode(context, { buffer: noise });
    source.connect(filter).connect(context.destination);
    source.start(context.currentTime + after);
  },

  checker() {
    if (this.isOn) this.knock(0, 900, 0.9, 70);
  },

  dice() {
    if (this.isOn)
      for (let bounce = 0; bounce < 6; bounce += 1)
        this.knock(
          0.07 * bounce + 0.02 * Math.random(),
          2200 + 600 * Math.random(),
          0.6 / (1 + 0.4 * bounce),
          40,
        );
  },
};

/** A switch that the browser remembers; `take` hears at once what it is. */
export function choiceSwitch(words, name, isOn, take) {
  const kept = keptChoice(name),
    box = make("input", { type: "checkbox" });
  box.checked = kept === null ? isOn : kept === "on";
  const tell = () => take(box.checked);
  box.addEventListener("change", () => {
    keptChoice(name, box.checked ? "on" : "off");
    tell();
  });
  tell();
  return make("label", { class: "switch" }, box, ` ${words}`);
}

export function soundSwitch(name, isOn) {
  return choiceSwitch(say("Sound"), name, isOn, (isWanted) => {
    SOUNDS.isOn = isWanted;
  });
}
