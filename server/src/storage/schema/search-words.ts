/**
 * What a record is found by, as words: a GIN index holds them, each behind the platform's id, so that a search reads only what
 * begins so on its own platform. A search that uses the index has the very text of its expression, so a change here needs a
 * migration that makes the index anew.
 */

/** What stands between words: everything in ASCII that is neither a letter nor a digit, and two wide spaces. */
const BETWEEN_WORDS = String.raw`[ -/:-@\[-\`{-~\u00a0\u3000]+`

/** The same for the words of a question. */
export const BETWEEN_ASKED = new RegExp(BETWEEN_WORDS)

/** Each word of a text, and each value as a whole, in lower case. */
function words(platform: string, text: string, values: readonly string[]): string {
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
 * A customer's names and the parts of its e-mail address word by word; the address, the telephone number with its last four
 * digits, the id at the platform and the UMA address as a whole.
 */
export const CUSTOMER_WORDS = words(
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

/** The words of an agent's name. */
export const AGENT_WORDS = words('platform_id', 'name', [])
