/** The current time in milliseconds since 1970, from the system clock, which may jump forward or back. */
export const systemClock = (): number => Date.now()
