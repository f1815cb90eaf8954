/** Contacts that a customer may have to verify. */
export const CONTACTS = ['email', 'phone'] as const
export type Contact = (typeof CONTACTS)[number]

/** The European Union. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

/** The members of the European Economic Area outside the Union. */
const EEA_BESIDE_EU = ['IS', 'LI', 'NO']

/** The contacts that customers verify, by country. Unlisted countries require none. */
export const CONTACT_RULES: ReadonlyMap<string, readonly Contact[]> = new Map(
  [...EU, ...EEA_BESIDE_EU].map((country) => [country, CONTACTS]),
)
