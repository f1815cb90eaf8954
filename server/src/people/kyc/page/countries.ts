import { getCountrySpecifications } from 'ibantools'

const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** ISO 3166-1 country codes with their English names, ordered by name. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.keys(getCountrySpecifications())
    .map((code) => [code, NAMES.of(code) ?? code] as const)
    .sort(([, left], [, right]) => left.localeCompare(right, 'en')),
)

/** The English name of a country, or its code if the name is unknown. */
export function getCountryName(code: string): string {
  return COUNTRIES.get(code) ?? code
}
