/** Prevents spreadsheets from executing users' text as formulas. Every CSV writer uses it. */

/**
 * The start of a formula, possibly after quotes and spaces. Includes the full-width characters of East Asian
 * keyboards.
 */
const FORMULA = `[ "']*[=+\\-@\\t\\r\\n＝＋－＠]`
const FIRST = new RegExp(`^${FORMULA}`)
/**
 * In some locales, spreadsheets separate cells by `;` or a tab, and recognize quotes only at the start of a
 * cell. Therefore a cell can begin after any of these separators and after every line break.
 */
const LATER = new RegExp(`([;\\t\\r\\n|])(?=${FORMULA})`, 'g')

/** Puts an apostrophe before everything that a spreadsheet could treat as a formula. */
export function guardFormulas(text: string): string {
  const guarded = text.replace(LATER, "$1'")
  return FIRST.test(guarded) ? `'${guarded}` : guarded
}
