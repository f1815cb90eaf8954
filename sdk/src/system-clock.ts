/** What the clock of this machine says, in milliseconds since 1970. It moves with the clock, forth and back. */
export const systemClock = (): number => Date.now()
