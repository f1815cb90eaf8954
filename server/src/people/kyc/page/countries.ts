import { getCountrySpecifications } from 'ibantools'

const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** The countries of ISO 3166-1 by their code, ordered by their English names. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.keys(getCountrySpecifications())
    .map((code) => [code, NAMES.of(code) ?? code] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, 'en')),
)

/** The name of a country, or its code if it is unknown. */
export function countryName(code: string): string {
  return COUNTRIES.get(code) ?? code
}
