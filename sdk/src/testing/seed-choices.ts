/** Choices that follow from one number: the same number gives the same ones. */
export class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    // The generator "mulberry32": 32 bits of state.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    const share = ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
    return min + Math.floor(share * (max - min + 1))
  }

  one<T>(of: readonly T[]): T {
    return of[this.between(0, of.length - 1)]!
  }

  /** True in `percent` of a hundred cases. */
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

/** A person's name, and an e-mail address of it. */
export function personOf(
  choices: Choices,
  number: number,
): { readonly fullName: string; readonly email: string } {
  const [first, last] = [choices.one(FIRST_NAMES.split(' ')), choices.one(LAST_NAMES.split(' '))]
  return { fullName: `${first} ${last}`, email: `${first}.${last}.${number}@mail.example`.toLowerCase() }
}

export function businessOf(choices: Choices): string {
  return `${choices.one(BUSINESSES.split(' '))} ${choices.one(TRADES)}`
}

export function merchantOf(choices: Choices): string {
  return choices.one(MERCHANTS)
}
