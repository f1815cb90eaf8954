/** What a customer can be asked to prove to own. */
export const CONTACTS = ['email', 'phone'] as const
export type Contact = (typeof CONTACTS)[number]

/** The European Union. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

/** The members of the European Economic Area beside the Union. */
const EEA_BESIDE_EU = ['IS', 'LI', 'NO']

/** Which of their contacts the customers of a country verify. A country that is not named here asks for none. */
export const CONTACT_RULES: ReadonlyMap<string, readonly Contact[]> = new Map(
  [...EU, ...EEA_BESIDE_EU].map((country) => [country, CONTACTS]),
)
