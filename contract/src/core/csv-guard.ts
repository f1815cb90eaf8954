/** Prevents spreadsheets from executing text of users. Every CSV writer uses it. */

/** The start of a formula in a spreadsheet, the wide forms of East Asian keyboards among them, maybe behind quotes and spaces. */
const FORMULA = `[ "']*[=+\\-@\\t\\r\\n＝＋－＠]`
const FIRST = new RegExp(`^${FORMULA}`)
/**
 * A spreadsheet of another country separates cells by `;` or a tab, and knows quotes only at the start of a cell: so a cell may begin
 * behind each of those and each line end.
 */
const LATER = new RegExp(`([;\\t\\r\\n|])(?=${FORMULA})`, 'g')

/** A text with an apostrophe before everything that a spreadsheet may take for a formula. */
export function guardedText(text: string): string {
  const guarded = text.replace(LATER, "$1'")
  return FIRST.test(guarded) ? `'${guarded}` : guarded
}
