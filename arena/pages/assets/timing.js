// Waiting.

/**
 * Wait for so many milliseconds.
 *
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function rest(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
