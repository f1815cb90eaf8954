/** The contacts that a customer may have to verify. */
export const CONTACTS = ['email', 'phone'] as const
export type Contact = (typeof CONTACTS)[number]

/** Member states of the European Union. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

/** Members of the European Economic Area that are not in the EU. */
const EEA_OUTSIDE_EU = ['IS', 'LI', 'NO']

/** The contacts that customers must verify, by country. In all other countries, none. */
export const CONTACT_RULES: ReadonlyMap<string, readonly Contact[]> = new Map(
  [...EU, ...EEA_OUTSIDE_EU].map((country) => [country, CONTACTS]),
)
