/** A seeded pseudorandom generator: the same seed gives the same choices. */
export class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns an integer from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    // The mulberry32 generator, which has 32 bits of state.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    const fraction = ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
    return min + Math.floor(fraction * (max - min + 1))
  }

  pick<T>(of: readonly T[]): T {
    return of[this.between(0, of.length - 1)]!
  }

  /** True with a probability of `percent` percent. */
  chance(percent: number): boolean {
    return this.between(1, 100) <= percent
  }
}

const FIRST_NAMES =
  'Amara Lukas Mei Sofia Noah Ines Kofi Hana Elena Mateo Priya Jonas Leila Omar Freya Diego Yuki Clara Samir Nadia'
const LAST_NAMES =
  'Okafor Weber Chen Rossi Andersen Moreau Mensah Sato Petrova Garcia Sharma Novak Haddad Lindqvist Silva Tanaka Keller Rahman Costa Byrne'
const BUSINESSES = 'Northwind Bluefield Harbour Cedar Juniper Lantern Meridian Saffron Tidewater Wren'
const TRADES = ['Trading Ltd', 'Logistics GmbH', 'Studios Inc', 'Foods BV', 'Imports SA']
const MERCHANTS = [
  'CORNER BAKERY',
  'METRO TRANSIT',
  'GREEN GROCER',
  'CITY BOOKS',
  'NIGHT OWL COFFEE',
  'HARDWARE DEPOT',
]

/** Picks a person's name and a matching e-mail address. */
export function pickPerson(
  choices: Choices,
  number: number,
): { readonly fullName: string; readonly email: string } {
  const [first, last] = [choices.pick(FIRST_NAMES.split(' ')), choices.pick(LAST_NAMES.split(' '))]
  return { fullName: `${first} ${last}`, email: `${first}.${last}.${number}@mail.example`.toLowerCase() }
}

export function pickBusinessName(choices: Choices): string {
  return `${choices.pick(BUSINESSES.split(' '))} ${choices.pick(TRADES)}`
}

export function pickMerchant(choices: Choices): string {
  return choices.pick(MERCHANTS)
}
