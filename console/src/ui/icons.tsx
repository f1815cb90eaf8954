import type { ReactNode } from 'react'

function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

/** An icon that consists of a single path. */
export function PathIcon({ path }: { readonly path: string }) {
  return (
    <Icon>
      <path d={path} />
    </Icon>
  )
}

export function CopyIcon() {
  return (
    <Icon>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </Icon>
  )
}

export function DoneIcon() {
  return (
    <Icon>
      <path d="m3 8.5 3.5 3.5L13 4.5" />
    </Icon>
  )
}

export function SearchIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </Icon>
  )
}

export function SwitchIcon() {
  return (
    <Icon>
      <path d="M3 5h10M10.5 2.5 13 5l-2.5 2.5M13 11H3M5.5 8.5 3 11l2.5 2.5" />
    </Icon>
  )
}

export function SunIcon() {
  return (
    <Icon>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7" />
    </Icon>
  )
}

export function MoonIcon() {
  return (
    <Icon>
      <path d="M13.5 9.5A5.5 5.5 0 0 1 6.500 2.500a5.500 5.500 0 1 0 7 7Z" />
    </Icon>
  )
}

export function ZoomInIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3M7 5v4M5 7h4" />
    </Icon>
  )
}

export function ZoomOutIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3M5 7h4" />
    </Icon>
  )
}

export function RotateIcon() {
  return (
    <Icon>
      <path d="M13 8a5 5 0 1 1-1.5-3.5L13 6" />
      <path d="M13 2.5V6H9.5" />
    </Icon>
  )
}
