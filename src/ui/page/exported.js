// A page that was exported into a file has the answers of a moment, and asks nobody. Its links load the file again.

/** @typedef {{ at: string, views: readonly string[], answers: Readonly<Record<string, any>> }} Exported */

const element = document.getElementById("answers");

/** null: the page is served. @type {Exported | null} */
export const exported = element === null ? null : JSON.parse(element.textContent ?? "null");

/**
 * Throws an error with a sentence when the file does not have it.
 * @param {Exported} file
 * @param {string} question
 */
export function answerIn({ answers }, question) {
  if (Object.hasOwn(answers, question)) return answers[question];
  throw new Error("this file has no answer to that: northgate ui has");
}
