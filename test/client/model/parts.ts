/** The least that a source and a destination need. */
export const SOURCE = { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }
export const DESTINATION = { name: 'out', protocol: 'udp', address: '239.1.1.2', port: 6000 }
