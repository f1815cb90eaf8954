/** A style sheet imported by a page. The bundler writes it next to the page. */
declare module '*.css'
