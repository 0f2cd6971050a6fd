// Sounds of dice and checkers, made of noise: no file is fetched, and nothing is made before
// somebody has asked for it.

import { make } from "./elements.js";
import { keptChoice, say } from "./words.js";

const BOUNCES = 6;

export const SOUNDS = {
  isOn: false,

  /** @type {AudioContext | null} */
  context: null,

  /** Sound a checker that is put down. */
  checker() {
    if (this.isOn) this.knock(0, 900, 0.9, 70);
  },

  /** Sound dice that bounce, each time less. */
  dice() {
    if (!this.isOn) return;
    for (let bounce = 0; bounce < BOUNCES; bounce += 1) {
      const after = 0.07 * bounce + 0.02 * Math.random();
      const pitch = 2200 + 600 * Math.random();
      const loud = 0.6 / (1 + 0.4 * bounce);
      this.knock(after, pitch, loud, 40);
    }
  },

  /** Sound that the time runs out: three knocks, as on a door. */
  warning() {
    if (!this.isOn) return;
    for (let place = 0; place < 3; place += 1) this.knock(0.18 * place, 500, 0.9, 90);
  },

  /**
   * Sound a knock of wood: noise around a pitch, dying away.
   *
   * @param {number} after seconds from now
   * @param {number} pitch in hertz
   * @param {number} loud 0 to 1
   * @param {number} ms
   */
  knock(after, pitch, loud, ms) {
    this.context ??= new AudioContext();
    const { context } = this;
    const source = new AudioBufferSourceNode(context, { buffer: noise(context, loud, ms) });
    const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 1.5 });
    source.connect(filter).connect(context.destination);
    source.start(context.currentTime + after);
  },
};

/**
 * @param {AudioContext} context
 * @param {number} loud
 * @param {number} ms
 * @returns {AudioBuffer}
 */
function noise(context, loud, ms) {
  const length = Math.ceil((context.sampleRate * ms) / 1000);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < length; place += 1)
    samples[place] = (2 * Math.random() - 1) * loud * (1 - place / length) ** 4;
  return buffer;
}

/**
 * Make a switch that the browser remembers.
 *
 * @param {string} words
 * @param {string} name under which the browser keeps the choice
 * @param {boolean} isOn before the reader has chosen
 * @param {(isOn: boolean) => void} take hears at once what the switch is, and every change
 * @returns {HTMLLabelElement}
 */
export function choiceSwitch(words, name, isOn, take) {
  const kept = keptChoice(name);
  const box = make("input", { type: "checkbox" });
  box.checked = kept === null ? isOn : kept === "on";
  box.addEventListener("change", () => {
    keptChoice(name, box.checked ? "on" : "off");
    take(box.checked);
  });
  take(box.checked);
  return make("label", { class: "switch" }, box, ` ${words}`);
}

/**
 * Make the switch of the sounds.
 *
 * @param {string} name under which the browser keeps the choice
 * @param {boolean} isOn before the reader has chosen
 * @returns {HTMLLabelElement}
 */
export function soundSwitch(name, isOn) {
  return choiceSwitch(say("Sound"), name, isOn, (isWanted) => {
    SOUNDS.isOn = isWanted;
  });
}
