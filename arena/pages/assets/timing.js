// Waiting.

export function rest(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
