/**
 * The searchable words of a record. A GIN index contains them, each prefixed with the platform's id, so a
 * search reads only its own platform's entries. The index is used only if a search has exactly its
 * expression, so a change here needs a migration that recreates the index.
 */

/** Separators between words: all ASCII characters except letters and digits, and two wide spaces. */
const BETWEEN_WORDS = String.raw`[ -/:-@\[-\`{-~\u00a0\u3000]+`

/** Separators in search text, which are identical. */
export const SEARCH_SEPARATORS = new RegExp(BETWEEN_WORDS)

/** Each word of a text and each value as a whole, in lower case. */
function buildWordsSql(platform: string, text: string, values: readonly string[]): string {
  const mark = `${platform}::text || ' '`
  const each = `regexp_replace(lower(${text}), '${BETWEEN_WORDS}', E'\\n' || ${mark}, 'g')`
  const whole = values.map((value) => ` || E'\\n' || ${mark} || lower(coalesce(${value}, ''))`)
  return `array_to_tsvector(string_to_array(${mark} || ${each}${whole.join('')}, E'\\n'))`
}

const NAMES = [
  "details->>'fullName'",
  "details->'businessInfo'->>'legalName'",
  "details->'businessInfo'->>'doingBusinessAs'",
]

/**
 * A customer's names and the parts of its email address as single words. The email address, the phone number
 * and its last four digits, the platform customer id and the UMA address as a whole.
 */
export const CUSTOMER_WORDS = buildWordsSql(
  'platform_id',
  [...NAMES, 'email'].map((name) => `coalesce(${name}, '')`).join(" || ' ' || "),
  [
    'email',
    "details->>'phoneNumber'",
    "right(details->>'phoneNumber', 4)",
    'platform_customer_id',
    'uma_address',
  ],
)

export const AGENT_WORDS = buildWordsSql('platform_id', 'name', [])
