/** The time of this machine in milliseconds since 1970. It follows changes of the clock, forward and back. */
export const systemClock = (): number => Date.now()
